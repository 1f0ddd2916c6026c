import { expect, it } from 'vitest';
import { foreignText } from '#kernel/text/foreign.ts';

it.each([
  [
    'Zero\u200bwidth, a\u115ffiller, a\u034fjoiner and a\u180bselector',
    'Zero width, a filler, a joiner and a selector',
  ],
  ['an empty\u2800Braille cell', 'an empty Braille cell'],
  ['two\r\nlines\u2028and \u{e0041}tags', 'two lines and tags'],
  ['a sign that is seen: \u06dd', 'a sign that is seen: \u06dd'],
  [`${'x'.repeat(299)}😀`, 'x'.repeat(299)],
  [`Malformed access token EAAGm0PX4ZCps${'BA9z'.repeat(20)}`, 'Malformed access token [token cut]'],
])('words of a platform are shown without what nobody sees, and without secrets: %j', (text, shown) =>
  expect(foreignText(text)).toBe(shown),
);
