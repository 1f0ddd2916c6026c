import { platforms } from '../../src/platforms/index.ts';
import { metadataNames } from '../../src/platforms/lookup.ts';

/** Members of the credentials that platforms take in place of consent, and of what steers a consent. */
export const credentialMembers: Readonly<Record<string, object>> = Object.fromEntries(
  [...platforms.values()].flatMap(metadataNames).map((name) => [name, { type: 'string' }]),
);
