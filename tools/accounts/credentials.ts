import { platforms } from '#platforms/index.ts';
import { isPlatform } from '#kernel/platforms.ts';
import { metadataNames } from '#platforms/lookup.ts';

export const credentialMembers: Readonly<Record<string, object>> = Object.fromEntries(
  [...platforms.values()].flatMap(metadataNames).map((name) => [name, { type: 'string' }]),
);

/** Those of one platform, or of all if it is unknown. */
export function credentialsOf(platform: unknown): readonly string[] {
  const connector = typeof platform === 'string' && isPlatform(platform) ? platforms.get(platform) : undefined;
  return connector === undefined ? Object.keys(credentialMembers) : metadataNames(connector);
}
