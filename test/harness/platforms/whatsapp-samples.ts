import { whatsapp } from '#platforms/whatsapp/index.ts';
import { answer, scripted, type Script } from './script.ts';

export const NUMBER = '106540352242922';
export const WABA = '102290129340398';
const SESSION = Object.freeze({ token: 'TOKEN', phone_number_id: NUMBER, waba_id: WABA, app_id: '42' });

/** An error of the Cloud API. */
export const refusal = (code: number, more: Readonly<Record<string, unknown>> = {}, status = 400) =>
  answer(status, { error: { message: `(#${code}) no`, type: 'OAuthException', code, ...more } });

/** A Graph that answers by `METHOD /path`. */
export const graphOf = (script: Script) =>
  scripted(script, {
    hosts: whatsapp.hosts.real,
    session: SESSION,
    nameOf: ({ method, url }) => `${method} ${new URL(url).pathname.replace('/v25.0', '')}`,
  });
