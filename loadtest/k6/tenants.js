// A tenant and its control, or beside these callers of other tenants with tokens of other kinds.
import { any, ask, askControl, askFinance, bearer, common, neighbour, number, steadily, summary, thresholds, tokens }
  from './common.js';

const customers = tokens('customer');
const drivers = tokens('driver');
const others = number('OTHERS', 0);
const scenarios = neighbour(number('RATE', 150));
if (others) {
  scenarios.customer = steadily(others, 'customer', 'customer');
  scenarios.clans = steadily(others, 'clans', 'clans');
  scenarios.driver = steadily(others, 'driver', 'driver');
}

export const options = Object.assign({}, common, { scenarios, thresholds: thresholds() });

export function customer() {
  ask('customer', bearer(any(customers)), 200);
}

export function clans() {
  ask('clans', bearer(any(customers)), 200);
}

export function driver() {
  ask('driver', bearer(any(drivers)), 200);
}

export const finance = askFinance;
export const control = askControl;
export const handleSummary = summary;
