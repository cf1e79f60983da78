// Callers of `clans` whose provider signs with another key from the middle of the run on.
import exec from 'k6/execution';
import {
  any, ask, askControl, askFinance, bearer, common, neighbour, number, seconds, steadily, summary, thresholds, tokens,
} from './common.js';

const [before, after] = [tokens('before'), tokens('after')];

export const options = Object.assign({}, common, {
  scenarios: {
    rotation: steadily(number('RATE', 300), 'clans', 'clans'),
    ...neighbour(number('NEIGHBOUR_RATE', 150)),
  },
  thresholds: thresholds(),
});

export function clans() {
  const isOver = exec.instance.currentTestRunDuration > seconds * 500;
  ask('clans', bearer(any(isOver ? after : before)), 200);
}

export const finance = askFinance;
export const control = askControl;
export const handleSummary = summary;
