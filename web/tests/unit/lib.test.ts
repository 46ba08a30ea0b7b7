import { describe, expect, it } from 'vitest';
import { isRight } from '../../src/lib/answer';
import { bytes, percent, plural, whole } from '../../src/lib/format';
import { choice, integer, pack, read, unpack, write } from '../../src/lib/link';
import { count, has, inWords } from '../../src/lib/mask';

describe('masks', () => {
  it('have lane 0 in the last digit', () => {
    expect(has('0000FFFF', 0)).toBe(true);
    expect(has('0000FFFF', 15)).toBe(true);
    expect(has('0000FFFF', 16)).toBe(false);
    expect(has('80000000', 31)).toBe(true);
    expect(has('F', 4)).toBe(false);
  });

  it('are counted', () => {
    expect(count('FFFFFFFFFFFFFFFF')).toBe(64);
    expect(count('55555555')).toBe(16);
    expect(count('0')).toBe(0);
  });

  it('are said in words', () => {
    expect(inWords('0000FFFF')).toBe('lanes 0–15');
    expect(inWords('00000001')).toBe('lane 0');
    expect(inWords('00000000')).toBe('no lane');
    expect(inWords('8000000B')).toBe('lanes 0–1, 3, 31');
    expect(inWords('55555555')).toBe('lanes 0, 2, 4, 6 and 12 more');
  });
});

describe('links', () => {
  it('keep what is written into them', () => {
    const hash = write('lanes', { scenario: '02', at: 3, text: '', lane: null });
    expect(hash).toBe('#/lanes?scenario=02&at=3');
    const place = read(hash);
    expect(place.lab).toBe('lanes');
    expect(integer(place.params, 'at', [0, 10], 0)).toBe(3);
    expect(integer(place.params, 'scenario', [5, 10], 7)).toBe(7);
    expect(read('#/').lab).toBe('');
  });

  it('keep any text', () => {
    const text = 'if i < 16 # größer\n\tx = "🙂"\n';
    expect(pack(text)).toMatch(/^[\w-]*$/);
    expect(unpack(pack(text))).toBe(text);
    expect(unpack('%%%')).toBeNull();
    expect(unpack('_w')).toBeNull();
  });

  it('take only known choices and whole numbers', () => {
    const { params } = read('#/x?d=other&n=1.5&m=');
    expect(choice(params, 'd', ['ipdom', 'its'])).toBe('ipdom');
    expect(integer(params, 'n', [0, 9], 4)).toBe(4);
    expect(integer(params, 'm', [0, 9], 4)).toBe(4);
  });
});

describe('numbers', () => {
  it('are written for people', () => {
    expect(whole(1234567)).toBe('1\u202f234\u202f567');
    expect(percent(160 / 224)).toBe('71.43\u00a0%');
    expect(percent(160 / 224, 0)).toBe('71\u00a0%');
    expect(bytes(49152)).toBe('48\u00a0KiB');
    expect(bytes(100)).toBe('100\u00a0B');
    expect(bytes(1536)).toBe('1.50\u00a0KiB');
    expect(plural(1, 'block')).toBe('1 block');
    expect(plural(0, 'block')).toBe('0 blocks');
  });
});

describe('answers', () => {
  it('are taken as people write them', () => {
    const registers = { unit: 'registers', tolerance: 0 };
    expect(isRight(registers, 33, ' 33 ')).toBe(true);
    expect(isRight(registers, 33, '34')).toBe(false);
    expect(isRight(registers, 33, '')).toBe(false);
    expect(isRight({ words: ['up', 'down'] }, 'up', 'up')).toBe(true);
    expect(isRight({ words: ['up', 'down'] }, 'up', 'down')).toBe(false);
    expect(isRight({ unit: '%', tolerance: 3 }, 40.35, '40,4 %')).toBe(true);
    expect(isRight({ unit: '%', tolerance: 3 }, 40.35, '30')).toBe(false);
  });
});
