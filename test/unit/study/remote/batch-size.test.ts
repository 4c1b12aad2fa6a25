import { describe, expect, test } from 'vitest';
import { batchSize, trialsAtOnce } from '../../../../src/study/remote/redis-runner.ts';

describe('a job', () => {
  test.each`
    trialMs | ready   | threads | size
    ${null} | ${100}  | ${4}    | ${1}
    ${100}  | ${100}  | ${4}    | ${20}
    ${100}  | ${40}   | ${4}    | ${10}
    ${900}  | ${100}  | ${4}    | ${2}
    ${6000} | ${100}  | ${4}    | ${1}
    ${0}    | ${9999} | ${1}    | ${200}
    ${0.1}  | ${9999} | ${0}    | ${200}
    ${100}  | ${0}    | ${4}    | ${1}
  `('has $size of $ready trials of $trialMs ms for $threads threads', ({ size, ...of }) => {
    expect(batchSize(of as Parameters<typeof batchSize>[0])).toBe(size);
  });
});

describe('trials at once', () => {
  test.each`
    trialMs | threads | trials
    ${null} | ${0}    | ${16}
    ${100}  | ${0}    | ${16}
    ${null} | ${4}    | ${8}
    ${100}  | ${4}    | ${160}
    ${1}    | ${64}   | ${2000}
  `('are $trials of $trialMs ms for $threads threads', ({ trials, ...of }) => {
    expect(trialsAtOnce(of as Parameters<typeof trialsAtOnce>[0])).toBe(trials);
  });
});
