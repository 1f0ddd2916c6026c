import { describe, expect, it } from 'vitest';
import { PLATFORMS } from '#kernel/platforms.ts';
import { platforms } from '#platforms/index.ts';
import { sources } from './source.ts';

/** Where platforms may be named. */
const PLACES: readonly RegExp[] = [
  /^(?:src\/platforms|sandbox)\//,
  // The slugs themselves, and the errors of single platforms with what to do next.
  /^src\/kernel\/(?:platforms|errors|envelope|people\/steps)\.ts$/,
  // Toolsets import the operations of single platforms.
  /^tools\/(?:[\w-]+\/)?index\.ts$/,
  // Other providers have names of their own for platforms.
  /^src\/engine\/migrations\/providers\//,
  // The contract gives it one platform to filter by.
  /^tools\/reviews\/get-reviews\.ts$/,
];

/** An ordinary word too: only a literal is the platform. */
const AMBIGUOUS: ReadonlySet<string> = new Set(['threads']);

const patterns = PLATFORMS.map((slug) =>
  AMBIGUOUS.has(slug) ? new RegExp(`['"\`]${slug}['"\`]`) : new RegExp(slug, 'i'),
);

/** The slugs that a text holds: in a literal, as a part of an identifier, in a comment. */
function slugsIn(text: string): readonly string[] {
  return PLATFORMS.filter((_, index) => patterns[index]!.test(text));
}

/** Operations of one platform have its slug in the name of their file or folder. */
function mayName(path: string, slug: string): boolean {
  return PLACES.some((place) => place.test(path)) || (path.startsWith('tools/') && path.includes(slug));
}

describe('platforms', () => {
  it('are named by their own objects alone', () => {
    const named = sources.flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, index) =>
        slugsIn(line)
          .filter((slug) => !mayName(path, slug))
          .map((slug) => `${path}:${index + 1} names ${slug}`),
      ),
    );
    expect(named, 'put what differs by platform on its object in src/platforms/<slug> and read it from there').toEqual(
      [],
    );
  });

  it('are found by their slug in literals and identifiers, threads in literals alone', () => {
    expect(slugsIn("if (slug === 'threads') return isFacebook && TIKTOK_URL;")).toEqual([
      'facebook',
      'threads',
      'tiktok',
    ]);
    expect(slugsIn('rules.threads.supported // threads of comments')).toEqual([]);
    expect(mayName('tools/whatsapp/list-templates.ts', 'whatsapp')).toBe(true);
    expect(mayName('src/serve/invoke.ts', 'whatsapp')).toBe(false);
  });

  it('are all in the list of slugs', () => {
    expect([...platforms.keys()].toSorted()).toEqual([...PLATFORMS].toSorted());
  });
});
