// A flood of tokens with forged signatures, no two alike, at `customer`.
import exec from 'k6/execution';
import { ask, askControl, askFinance, bearer, common, neighbour, number, steadily, summary, thresholds, tokens }
  from './common.js';

const forged = tokens('forged');
const scenarios = { flood: steadily(number('FLOOD', 1000), 'customer', 'flood') };
// The peers have no tenants.
if (__ENV.RATE) {
  Object.assign(scenarios, neighbour(number('RATE', 150)));
}

export const options = Object.assign({}, common, { scenarios, thresholds: thresholds() });

export function flood() {
  ask('customer', bearer(forged[exec.scenario.iterationInTest % forged.length]), 401);
}

export const finance = askFinance;
export const control = askControl;
export const handleSummary = summary;
