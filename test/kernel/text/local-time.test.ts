import { describe, expect, it } from 'vitest';
import { isTimezone, localToUtc } from '#kernel/text/local-time.ts';

describe('a time without an offset', () => {
  it.each([
    ['2026-01-31T09:00:00', 'UTC', '2026-01-31T09:00:00Z'],
    ['2026-01-31T09:00', 'Europe/Berlin', '2026-01-31T08:00:00Z'],
    ['2026-07-31 09:00:00', 'Europe/Berlin', '2026-07-31T07:00:00Z'],
    ['2026-07-31t09:00:00.25', 'America/New_York', '2026-07-31T13:00:00.25Z'],
    ['2026-07-31T09:00:00', 'Asia/Kathmandu', '2026-07-31T03:15:00Z'],
    // Clocks went from 02:00 to 03:00: half past two is as much later.
    ['2026-03-29T02:30:00', 'Europe/Berlin', '2026-03-29T01:30:00Z'],
    ['2026-03-29T01:59:59', 'Europe/Berlin', '2026-03-29T00:59:59Z'],
    ['2026-03-29T03:00:00', 'Europe/Berlin', '2026-03-29T01:00:00Z'],
    // Clocks went from 03:00 back to 02:00: half past two was twice, and the first time counts.
    ['2026-10-25T02:30:00', 'Europe/Berlin', '2026-10-25T00:30:00Z'],
    ['2026-10-25T03:00:00', 'Europe/Berlin', '2026-10-25T02:00:00Z'],
    // Half an hour, and a day that a place never had.
    ['2026-10-04T02:15:00', 'Australia/Lord_Howe', '2026-10-03T15:45:00Z'],
    ['2011-12-30T12:00:00', 'Pacific/Apia', '2011-12-30T22:00:00Z'],
  ])('%s in %s is %s', (text, timezone, utc) => expect(localToUtc(text, timezone)).toBe(utc));

  it.each([
    '2026-01-31T09:00:00Z',
    '2026-01-31T09:00:00+02:00',
    '2026-01-31',
    '2026-02-30T09:00:00',
    '2026-01-31T24:00:00',
    '2026-01-31T09:00:60',
    'tomorrow',
    '',
  ])('%s is none, and stays as it came', (text) => expect(localToUtc(text, 'Europe/Berlin')).toBe(text));
});

it.each([
  ['UTC', true],
  ['Europe/Berlin', true],
  ['Asia/Kolkata', true],
  ['America/Argentina/Buenos_Aires', true],
  ['+02:00', false],
  ['-05', false],
  ['Middle/Earth', false],
  ['Europe/Berlin ', false],
  ['', false],
])('%j names a timezone: %s', (name, known) => expect(isTimezone(name)).toBe(known));
