// So many WebSockets of `chat`, opened at a steady rate and held; each sends a message every few seconds, which has to
// come back.
import exec from 'k6/execution';
import { WebSocket } from 'k6/experimental/websockets';
import { Counter, Trend } from 'k6/metrics';
import { any, bearer, common, number, seconds, summary, target, tokens } from './common.js';

const callers = tokens('customer');
const [sockets, clients, every] = [number('SOCKETS', 1000), number('CLIENTS', 100), number('EVERY', 5)];
const opened = new Counter('sockets_opened');
const failed = new Counter('sockets_failed');
const answered = new Counter('messages_answered');
const wrong = new Counter('messages_wrong');
const roundTrip = new Trend('message_round_trip', true);

export const options = Object.assign({}, common, {
  scenarios: {
    sockets: {
      executor: 'per-vu-iterations', vus: clients, iterations: 1, maxDuration: `${seconds + 60}s`, exec: 'hold',
      tags: { tenant: 'chat' },
    },
  },
  thresholds: { sockets_opened: [`count==${sockets}`], messages_answered: ['count>0'] },
});

export function hold() {
  const share = Math.floor(sockets / clients) + (exec.vu.idInTest <= sockets % clients ? 1 : 0);
  const begin = Date.now();
  for (let place = 0; place < share; place++) {
    setTimeout(() => open(begin), (place / share) * number('OPENING', 10) * 1000);
  }
}

function open(begin) {
  const socket = new WebSocket(`ws://${target}/socket`, null, {
    headers: Object.assign({ Host: 'chat.test' }, bearer(any(callers))),
    tags: { tenant: 'chat' },
  });
  let isDone = false;
  let timer = null;
  const sent = [];
  const send = () => {
    const message = { text: `${Math.random()}`, at: Date.now() };
    sent.push(message);
    socket.send(message.text);
  };
  socket.onopen = () => {
    opened.add(1);
    timer = setTimeout(() => {
      send();
      timer = setInterval(send, every * 1000);
    }, Math.random() * every * 1000);
    setTimeout(() => {
      isDone = true;
      clearInterval(timer);
      socket.close();
    }, Math.max(0, begin + seconds * 1000 - Date.now()));
  };
  socket.onmessage = (message) => {
    const expected = sent.shift();
    if (expected !== undefined && message.data === expected.text) {
      answered.add(1);
      roundTrip.add(Date.now() - expected.at);
    } else {
      wrong.add(1);
    }
  };
  socket.onerror = () => {
    if (!isDone) failed.add(1);
  };
  socket.onclose = () => {
    if (!isDone) failed.add(1);
    isDone = true;
    if (timer !== null) clearInterval(timer);
  };
}

export const handleSummary = summary;
