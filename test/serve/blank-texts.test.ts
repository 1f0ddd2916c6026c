import { describe, expect, it } from 'vitest';
import { listTools } from '#serve/mcp/catalogue.ts';
import { toolsets } from '#tools/index.ts';
import { echoOf, SAMPLES } from '../harness/calls/echo.ts';
import { exampleOf, kindOf, placesOf, shapeOf, withValue } from '../harness/calls/inputs.ts';
import { callThrough, DOORS, expectRefusal, type Reply } from '../harness/calls/operations.ts';
import { it as inWorld } from '../harness/world.ts';

/** Texts that show nothing, by what they are made of. */
const BLANK: Readonly<Record<string, string>> = {
  'zero-width spaces and joiners': '\u200b\u200c\u200d',
  'byte order marks and word joiners': '\ufeff\u2060',
  'soft hyphens': '\u00ad\u00ad',
  'variation selectors': '\ufe0f\u{e0100}',
  'fillers of Hangul': '\u115f\u1160\u3164\uffa0',
  tags: '\u{e0041}\u{e007f}',
  'direction marks': '\u200e\u200f\u202e\u2066\u2069\u061c',
  'a blank of braille and a null notehead': '\u2800\u{1d159}',
  'controls, and spaces between': ' \u0007\u00a0\u3000\u200b\n',
};

const hear = echoOf(toolsets);
const FIELDS = listTools(toolsets).flatMap(({ tool }) => {
  const shape = shapeOf(tool, 'mcp');
  const input = exampleOf(shape, SAMPLES);
  const texts = placesOf(shape).filter((place) => kindOf(place.shape) === 'string');
  return texts.map(({ path }) => ({ name: tool.name, input, path }));
});

describe('a text that shows nothing', () => {
  it('is an empty one to every operation', async () => {
    expect(FIELDS.length).toBeGreaterThan(250);
    const texts = Object.values(BLANK);
    for (const [at, { name, input, path }] of FIELDS.entries()) {
      const blank = texts[at % texts.length]!;
      const heard = await hear(name, withValue(input, path, blank));
      expect([name, path, heard]).toEqual([name, path, await hear(name, withValue(input, path, ''))]);
    }
  });

  it.each(Object.entries(BLANK))('may be made of %s', async (_, text) => {
    const refused = await hear('reply_to_comment', { post_id: 'pst_1', comment_id: '1', text });
    expect(refused).toEqual({ refused: expect.stringContaining('text is required') });
  });

  it.each(['👨‍👩‍👧', '❤️', '1️⃣', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', 'a\u200b', '\u200fשלום', '\u00adx', '.'])(
    'has no visible character, as %j has',
    async (text) => {
      expect(await hear('create_post', { text })).toMatchObject({ text });
    },
  );

  inWorld('is refused as an empty one wherever something is published or named', async ({ shared: world }) => {
    const { id } = await world.connect();
    const text = '\u200b\ufeff';
    const posted = { account_ids: [id], publish_now: true };
    for (const via of DOORS) {
      const ask = (name: string, input: object): Promise<Reply> => callThrough(world, via, name, { ...input });
      await expectRefusal(ask('create_brand', { name: text }), 'validation.field_required', { field: 'name' });
      await expectRefusal(ask('create_key', { name: text }), 'validation.field_required', { field: 'name' });
      const [blank, empty] = [
        await ask('create_post', { ...posted, text }),
        await ask('create_post', { ...posted, text: '' }),
      ];
      expect([via, blank.ok, blank.code, blank.meta]).toEqual([via, false, empty.code, empty.meta]);
      const thread = (second: string) => ask('create_post', { ...posted, text: 'One', segments: [{ text: second }] });
      const [hidden, none] = [await thread(text), await thread('')];
      expect([via, hidden.ok, hidden.code, hidden.meta]).toEqual([via, false, none.code, none.meta]);
    }
    const csv = `text,account_ids\n${text},${id}\n`;
    const rows = (await callThrough(world, 'mcp', 'import_posts', { csv })).body;
    expect(rows.errors).toMatchObject([{ code: 'validation.field_required' }]);
  });
});
