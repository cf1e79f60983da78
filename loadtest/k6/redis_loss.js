// Callers of `customer`, and one who was revoked before and must stay so, while Redis goes and comes back.
import { any, ask, askControl, askFinance, bearer, common, neighbour, number, steadily, summary, thresholds, tokens }
  from './common.js';

const [customers, revoked] = [tokens('customer'), tokens('revoked')];

export const options = Object.assign({}, common, {
  scenarios: {
    customer: steadily(number('RATE', 300), 'customer', 'customer'),
    revoked: steadily(20, 'revoked', 'stranger'),
    ...neighbour(number('NEIGHBOUR_RATE', 150)),
  },
  thresholds: thresholds(),
});

export function customer() {
  ask('customer', bearer(any(customers)), 200);
}

export function stranger() {
  ask('customer', bearer(any(revoked)), 401);
}

export const finance = askFinance;
export const control = askControl;
export const handleSummary = summary;
