// Sessions of `driver` whose tokens have all expired in the same second: each comes once and must be refreshed.
import exec from 'k6/execution';
import { check } from 'k6';
import { ask, askControl, askFinance, bearer, common, neighbour, number, summary, thresholds, tokens }
  from './common.js';

const sessions = tokens('past');

export const options = Object.assign({}, common, {
  scenarios: {
    storm: {
      executor: 'shared-iterations', vus: 200, iterations: number('SESSIONS', 1000), maxDuration: '120s',
      exec: 'driver', tags: { tenant: 'driver' }, startTime: '2s',
    },
    ...neighbour(number('RATE', 150)),
  },
  thresholds: thresholds(),
});

export function driver() {
  const response = ask('driver', bearer(sessions[exec.scenario.iterationInTest]), 200);
  check(response, { 'a new token is delivered': (given) => Boolean(given.headers['X-Refreshed-Token']) });
}

export const finance = askFinance;
export const control = askControl;
export const handleSummary = summary;
