// Sessions of `driver` that need a refresh, from a provider that takes seconds for each.
import exec from 'k6/execution';
import { ask, askControl, askFinance, bearer, common, neighbour, number, seconds, summary, thresholds, tokens }
  from './common.js';

const sessions = tokens('past');

export const options = Object.assign({}, common, {
  scenarios: {
    slow: {
      executor: 'constant-vus', vus: 20, duration: `${seconds}s`, exec: 'driver', tags: { tenant: 'driver' },
      gracefulStop: '20s',
    },
    ...neighbour(number('RATE', 150)),
  },
  thresholds: thresholds(),
});

export function driver() {
  ask('driver', bearer(sessions[exec.scenario.iterationInTest % sessions.length]), 200);
}

export const finance = askFinance;
export const control = askControl;
export const handleSummary = summary;
