// One rate all along: callers of `customer` with RS256 tokens, of which each caller has one.
import { any, ask, bearer, common, number, steadily, summary, thresholds, tokens } from './common.js';

const customers = tokens('customer');

export const options = Object.assign({}, common, {
  scenarios: { steady: steadily(number('RATE', 500), 'customer', 'customer') },
  thresholds: thresholds(),
});

export function customer() {
  ask('customer', bearer(any(customers)), 200);
}

export const handleSummary = summary;
