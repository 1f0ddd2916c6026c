import type { PlatformSetting } from '#kernel/config/names.ts';
import { matching, url } from '#kernel/config/values.ts';

const did = matching(/^did:[a-z]+:[\w.:%-]+$/, 'must be a DID such as did:web:api.bsky.chat');

/** Settings for AT Protocol networks other than Bluesky Social. */
export const settings = Object.freeze<PlatformSetting[]>([
  {
    name: 'BLUESKY_SERVICE',
    meaning:
      'The entry service. Set, it also means the real network while the sandbox is on. May be a private address.',
    parse: url,
    host: 'service',
    trusted: true,
    leavesSandbox: true,
  },
  {
    name: 'BLUESKY_PLC',
    meaning: 'The directory of identities. May be a private address.',
    parse: url,
    host: 'plc',
    trusted: true,
  },
  { name: 'BLUESKY_WEB', meaning: 'The web app that links to posts lead to.', parse: url, host: 'web' },
  {
    name: 'BLUESKY_CHAT_DID',
    meaning: "The chat service that people's own servers are asked to pass messages on to.",
    parse: did,
    host: 'chat',
  },
]);
