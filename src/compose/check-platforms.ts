import { ownCodes } from '#kernel/errors.ts';
import { kindsOf, type Platforms } from '#platforms/lookup.ts';

/** Throws if a connector declares an error code that the catalogue does not list for its platform. */
export function checkPlatforms(platforms: Platforms): void {
  for (const [name, { slug, codes = [] }] of [...platforms.values()].flatMap(kindsOf)) {
    const wrong = codes.find((code) => !ownCodes(slug).includes(code));
    if (wrong !== undefined) throw new Error(`${name} declares ${wrong}, which is not an error code of its own`);
  }
}
