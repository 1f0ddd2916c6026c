import { directOf } from '../../src/platforms/connect.ts';
import { platforms } from '../../src/platforms/index.ts';

/** Members of the credentials that platforms take in place of consent, and of what steers a consent. */
export const credentialMembers: Readonly<Record<string, object>> = Object.fromEntries(
  [...platforms.values()].flatMap(({ connect }) => {
    const fields = directOf(connect)?.form.map(({ name }) => name) ?? [];
    const steering = connect.kind === 'oauth' ? Object.keys(connect.metadata ?? {}) : [];
    return [...fields, ...steering].map((name) => [name, { type: 'string' }]);
  }),
);
