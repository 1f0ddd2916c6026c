import { platforms } from '../../src/platforms/index.ts';
import { keyLoginOf, loginsOf } from '../../src/platforms/lookup.ts';

/** Members of the credentials that platforms take in place of consent, and of what steers a consent. */
export const credentialMembers: Readonly<Record<string, object>> = Object.fromEntries(
  [...platforms.values()].flatMap((platform) => {
    const { connect } = platform;
    const fields = keyLoginOf(platform)?.direct.form.map(({ name }) => name) ?? [];
    const steering = connect.kind === 'oauth' ? Object.keys(connect.metadata ?? {}) : [];
    const login = loginsOf(platform).size > 1 ? ['login'] : [];
    return [...fields, ...steering, ...login].map((name) => [name, { type: 'string' }]);
  }),
);
