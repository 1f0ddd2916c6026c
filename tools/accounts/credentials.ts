import { platforms } from '#platforms/index.ts';
import { isPlatform } from '#kernel/platforms.ts';
import { metadataNames } from '#platforms/lookup.ts';

/** Members of the credentials that platforms take in place of consent, and of what steers a consent. */
export const credentialMembers: Readonly<Record<string, object>> = Object.fromEntries(
  [...platforms.values()].flatMap(metadataNames).map((name) => [name, { type: 'string' }]),
);

/** Those of one platform; of all where it is none of ours. */
export function credentialsOf(platform: unknown): readonly string[] {
  const connector = typeof platform === 'string' && isPlatform(platform) ? platforms.get(platform) : undefined;
  return connector === undefined ? Object.keys(credentialMembers) : metadataNames(connector);
}
