import { linkedin } from '#platforms/linkedin/index.ts';
import { answer, type Script, scripted } from '../../harness/platforms/script.ts';

export const ORGANIZATION = 'urn:li:organization:1';
export const MEMBER = 'urn:li:person:m-1';
const SESSION = { access: 'access-1', member: MEMBER, scopes: ['openid'], organizations: [ORGANIZATION] };

/** A refusal of the API. */
export const refusal = (status: number, message = 'no') => answer(status, { status, code: 'NO', message });

/** A LinkedIn that answers as scripted; its calls are named by method and path, below `/rest` without it. */
export const linkedinOf = (
  script: Script,
  more: Readonly<{ clock?: { now: number }; scopes?: readonly string[] }> = {},
) =>
  scripted(script, {
    hosts: linkedin.hosts.real,
    session: { ...SESSION, ...(more.scopes && { scopes: more.scopes }) },
    nameOf: ({ method, url }) => `${method} ${new URL(url).pathname.replace(/^\/rest\//, '')}`,
    ...(more.clock && { clock: more.clock }),
  });
