import { zalo } from '#platforms/zalo/index.ts';
import { answer, ok, type Script, scripted } from '../../harness/platforms/script.ts';

export const SESSION = { access_token: 'access-1', refresh_token: 'refresh-1', oa_id: '777', name: 'Bakery' };

/** A success of the API. */
export const made = (data: unknown) => ok({ data, error: 0, message: 'Success' });
/** A refusal, which comes with HTTP 200. */
export const refusal = (error: number, message = 'strange') => answer(200, { error, message });

/** A Zalo that answers as scripted; its calls have the names of paths, without version. */
export const zaloOf = (script: Script, session: object = SESSION) =>
  scripted(script, {
    hosts: zalo.hosts.real,
    session: { ...session },
    nameOf: ({ url }) => new URL(url).pathname.replace(/^\/v\d(\.0)?\//, ''),
  });
