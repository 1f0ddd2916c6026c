import { youtube } from '#platforms/youtube/index.ts';
import { answer, type Script, scripted } from '../../harness/platforms/script.ts';

export const SESSION = { access: 'access-1', refresh: 'refresh-1', channel: 'UC1', uploads: 'UU1' };

/** A refusal of the Data API. */
export const refusal = (status: number, reason: string) =>
  answer(status, { error: { code: status, message: 'no', errors: [{ reason, domain: 'youtube' }] } });

/** A YouTube that answers as scripted; its calls are named by method and the end of the path. */
export const youtubeOf = (script: Script, clock?: { now: number }) =>
  scripted(script, {
    hosts: youtube.hosts.real,
    session: { ...SESSION },
    nameOf: ({ method, url }) => `${method} ${new URL(url).pathname.replace(/^\/(?:upload\/)?youtube\/v3\//, '')}`,
    ...(clock && { clock }),
  });
