import { expect, it } from 'vitest';
import { html, page } from '#sandbox/html.ts';
import { makeTalks } from '#sandbox/kit/drawing.ts';

it('draws the conversations in which something was said last, each with its last dozen messages', () => {
  const many = Array.from({ length: 14 }, (_, at) => ({ to: 'Ann', text: `a${at}.`, at }));
  const conversations = makeTalks({
    messages: () => [{ to: 'Cat', text: 'c.', at: 0 }, ...many, { to: 'Ben', text: 'b.', at: 20 }],
    of: ({ to }) => to,
    about: (to) => ({ title: to, offers: false }),
    draw: ({ text, at }) => ({ author: 'Me', text, at }),
  });
  const shown = page('Conversations', html`${conversations(2, () => html``)}`);
  const ofAnn = Array.from({ length: 12 }, (_, at) => `a${at + 2}.`);
  expect(shown.match(/\b(?:Ann|Ben|Cat)\b|\b[abc]\d*\./g)).toEqual(['Ben', 'b.', 'Ann', ...ofAnn]);
});
