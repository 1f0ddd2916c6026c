import { platforms } from '../../src/platforms/index.ts';

/** Members of the credentials that platforms take in place of a consent page. */
export const credentialMembers: Readonly<Record<string, object>> = Object.fromEntries(
  [...platforms.values()].flatMap(({ connect }) =>
    connect.kind === 'direct' ? connect.form.map(({ name }) => [name, { type: 'string' }]) : [],
  ),
);
