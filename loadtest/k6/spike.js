// A calm third, a jump to many times the rate, and calm again.
import { any, ask, bearer, common, number, seconds, summary, thresholds, tokens } from './common.js';

const customers = tokens('customer');
const [low, high] = [number('LOW', 100), number('HIGH', 1500)];
const third = `${Math.floor(seconds / 3)}s`;

export const options = Object.assign({}, common, {
  scenarios: {
    spike: {
      executor: 'ramping-arrival-rate', startRate: low, timeUnit: '1s', exec: 'customer', tags: { tenant: 'customer' },
      preAllocatedVUs: 200, maxVUs: 1000,
      stages: [
        { target: low, duration: third }, { target: high, duration: '0s' }, { target: high, duration: third },
        { target: low, duration: '0s' }, { target: low, duration: third },
      ],
    },
  },
  thresholds: thresholds(),
});

export function customer() {
  ask('customer', bearer(any(customers)), 200);
}

export const handleSummary = summary;
