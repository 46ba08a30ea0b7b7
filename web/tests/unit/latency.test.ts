import { describe, expect, it } from 'vitest';
import type { LatencyAnswer } from '../../src/engine/types';
import { drawnCycles, fromParams, guides, polyline, scenarios, start, toParams } from '../../src/labs/latency/model';
import { read, write } from '../../src/lib/link';

describe('a link to the latency lab', () => {
  it('leads back to every scenario', () => {
    for (const { request } of scenarios) {
      const { params } = read(write('latency', toParams(request)));
      expect(toParams(fromParams(params))).toEqual(toParams(request));
    }
  });

  it('keeps to the bounds', () => {
    const { params } = read('#/latency?warps=65&math=-1&registers=400&scheduler=best');
    expect(fromParams(params)).toEqual(start);
  });
});

describe('the timeline', () => {
  it('covers some rounds', () => {
    // P = 200 + 4 x 16 = 264.
    expect(drawnCycles(start)).toBe(660);
    expect(drawnCycles({ ...start, load_cycles: 1, math: 1, math_cycles: 1 })).toBe(60);
  });
});

describe('guided steps', () => {
  const answer = (warps: number, utilization: number, useful = utilization, share = 1): LatencyAnswer => ({
    report: {
      warps,
      loop_cycles: 264,
      loop_instructions: 17,
      warps_needed: 16,
      ideal_utilization: 1,
      issue_slot_utilization: utilization,
      useful_lanes_per_issue: share,
      useful_lane_utilization: useful,
    },
    cap: null,
    timeline: [],
    drawn_issues: 0,
    drawn_cycles: 0,
  });

  it('are judged by what the runs gave', () => {
    const [registers, divergence, robin] = guides;
    const runs = { '32': answer(16, 0.9), '33': answer(15, 0.85), '64': answer(8, 0.5), '128': answer(4, 0.25) };
    expect(registers?.judge(runs).right).toBe(33);
    expect(divergence?.judge({ together: answer(16, 0.9), apart: answer(16, 0.98, 0.5, 0.52) }).right).toBe('up');
    expect(robin?.judge({ greedy: answer(16, 0.9), robin: answer(16, 0.6) }).right).toBeCloseTo(40);
  });
});

describe('a curve', () => {
  it('starts at no warps and ends at the right', () => {
    const points = [
      { warps: 1, ideal: 0.5, simulated: 0.25 },
      { warps: 2, ideal: 1, simulated: 1 },
    ];
    expect(polyline(points, (point) => point.simulated, 100, 40, 2)).toBe('50.0,30.0 100.0,0.0');
  });
});
