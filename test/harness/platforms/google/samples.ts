import type { PlatformAnswer } from '#platforms/call.ts';
import { google } from '#platforms/google/index.ts';
import { answer, NOW, type Script, scripted } from '../script.ts';

const SESSION = Object.freeze({ access: 'A', refresh: 'R', account: '1', location: '2' });
export const AT = '/v4/accounts/1/locations/2';

/** The APIs of Google, played; calls are named by the first word of the host and the path. */
export const googleOf = (script: Script, session: object = SESSION, settings: Record<string, string> = {}) => {
  const played = scripted(script, {
    hosts: google.hosts.real,
    session: { ...session },
    nameOf({ method, url }) {
      const { hostname, pathname } = new URL(url);
      return `${method} ${hostname.split('.')[0]!.replace('mybusiness', 'my')}${pathname}`;
    },
  });
  return { ...played, bare: { ...played.bare, settings }, acting: { ...played.acting, settings } };
};

export const iso = (ms: number): string => new Date(ms).toISOString();

/** An error as Google words it. */
export const failure = (code: number, status: string, reason?: string): PlatformAnswer =>
  answer(code, {
    error: {
      code,
      message: 'Something.',
      status,
      ...(reason && { details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason }] }),
    },
  });

/** A review as Google shows it. */
export const reviewed = (id: string, more: object = {}) => ({
  name: `accounts/1/locations/2/reviews/${id}`,
  reviewId: id,
  reviewer: { displayName: 'Ada', profilePhotoUrl: 'https://photos.example/ada' },
  starRating: 'FOUR',
  comment: 'Good bread.',
  createTime: iso(NOW - 60_000),
  updateTime: iso(NOW - 60_000),
  ...more,
});
