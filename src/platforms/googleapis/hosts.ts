import type { Hosts } from '../call.ts';
import type { Platform } from '../platform.ts';

/** The hosts of a Google platform: those of the login and those of its API. */
export function googleHosts(real: Hosts, sandbox: Platform['hosts']['sandbox']): Platform['hosts'] {
  return {
    real: {
      accounts: 'https://accounts.google.com',
      oauth2: 'https://oauth2.googleapis.com',
      openid: 'https://openidconnect.googleapis.com',
      googleapis: 'https://www.googleapis.com',
      ...real,
    },
    sandbox: ({ api, web }) => ({
      accounts: `${web}/accounts`,
      oauth2: `${api}/oauth2`,
      openid: `${api}/openid`,
      googleapis: `${api}/googleapis`,
      ...sandbox({ api, web }),
    }),
  };
}
