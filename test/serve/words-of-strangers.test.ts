import { expect } from 'vitest';
import { exampleOf, kindOf, placesOf, shapeOf, withValue, type Path } from '../harness/calls/inputs.ts';
import { furnish } from '../harness/calls/furnished.ts';
import { DOORS, requestOf, TOOLS, type Via } from '../harness/calls/operations.ts';
import { askRest, askTool } from '../harness/calls/requests.ts';
import { it, type World } from '../harness/world.ts';

/** What a plain object answers to without having been given it. */
const WORDS = ['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf'];

const EVERY = 6;

type Place = Readonly<{ name: string; input: object; path: Path }>;

function placesThrough(via: Via, known: ReadonlyMap<string, unknown>): readonly Place[] {
  const tools = TOOLS.filter(
    ({ stream, mcp, access }) =>
      stream === undefined && (via === 'rest' || (mcp !== false && !('dashboard' in access || 'decide' in access))),
  );
  return tools.flatMap((tool) => {
    const shape = shapeOf(tool, via);
    const input = exampleOf(shape, known) as object;
    const texts = placesOf(shape).filter((place) => kindOf(place.shape) === 'string');
    return texts.map(({ path }) => ({ name: tool.name, input, path }));
  });
}

async function codeOf({ root, key }: World, via: Via, name: string, input: object): Promise<unknown> {
  if (via === 'mcp') return (await askTool(root, key, name, input)).body.error?.code;
  const { route, body } = requestOf(
    TOOLS.find((tool) => tool.name === name)!,
    { ...input },
  );
  return (await askRest(root, key, route, body)).body.error?.code;
}

it('words that every object has are like all others in every text of every operation', async ({ world }) => {
  const known = new Map(Object.entries(await furnish(world)));
  const failed: unknown[] = [];
  for (const via of DOORS) {
    const places = placesThrough(via, known);
    expect(places.length).toBeGreaterThan(250);
    // A few of the places through each door, with one of the words: the soak tries them all.
    for (const [at, { name, input, path }] of places.entries()) {
      if (at % EVERY !== DOORS.indexOf(via)) continue;
      const word = WORDS[at % WORDS.length]!;
      const code = await codeOf(world, via, name, withValue(input, path, word) as object);
      if (code === 'system.internal') failed.push([via, name, path, word]);
    }
  }
  expect(failed).toEqual([]);
});

it('names of parts of a template of WhatsApp are not looked up in an object', async ({ shared: world }) => {
  for (const type of WORDS) {
    const template = { name: 'a', category: 'UTILITY', language: 'en_US', components: [{ type }] };
    const { body } = await world.rest('POST /v1/platforms/whatsapp/templates/validate', template);
    expect([type, body.valid]).toEqual([type, false]);
  }
});
