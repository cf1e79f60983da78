// What the scenarios share. The stage hands over where to go and the tokens: see ../stage.py.
import http from 'k6/http';
import { check } from 'k6';
import { SharedArray } from 'k6/data';

export const target = __ENV.TARGET;
export const seconds = Number(__ENV.SECONDS || 10);

export function number(name, otherwise) {
  return Number(__ENV[name] === undefined ? otherwise : __ENV[name]);
}

// One list of the tokens file, held once for all clients.
export function tokens(name) {
  return new SharedArray(name, () => JSON.parse(open(__ENV.TOKENS))[name] || []);
}

// So many requests a second, whatever becomes of those before.
export function steadily(rate, tenant, exec, more) {
  return Object.assign(
    {
      executor: 'constant-arrival-rate', rate, timeUnit: '1s', duration: `${seconds}s`, exec, tags: { tenant },
      preAllocatedVUs: Math.max(20, Math.ceil(rate / 10)), maxVUs: Math.max(100, rate), gracefulStop: '20s',
    },
    more || {},
  );
}

// A neighbour whose latency must not suffer, and its control: the same requests past the gateway, through a plain
// proxy, at the same time. What the machine does to the one it does to the other.
export function neighbour(rate) {
  return { finance: steadily(rate, 'finance', 'finance'), control: steadily(rate, 'control', 'control') };
}

export function thresholds(more) {
  return Object.assign({ checks: ['rate==1'] }, more || {});
}

export function ask(tenant, fields, expected, other) {
  const response = http.get(`http://${other || target}/`, {
    headers: Object.assign({ Host: `${tenant}.test` }, fields),
    tags: { name: tenant },
    timeout: '30s',
  });
  const what = `${tenant} is answered ${expected}`;
  check(response, { [what]: (given) => given.status === expected });
  return response;
}

export function bearer(token) {
  return { Authorization: `Bearer ${token}` };
}

export function any(list) {
  return list[Math.floor(Math.random() * list.length)];
}

const cookies = tokens('finance');

export function askFinance() {
  ask('finance', { Cookie: `auth-token=${any(cookies)}` }, 200);
}

export function askControl() {
  ask('control', { Cookie: `auth-token=${any(cookies)}` }, 200, __ENV.CONTROL);
}

export function summary(data) {
  return { [__ENV.SUMMARY]: JSON.stringify(data) };
}

export const common = { discardResponseBodies: true, setupTimeout: '60s' };
