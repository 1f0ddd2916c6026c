import type { TwinAbout } from '../twin.ts';

export const ABOUT: TwinAbout = Object.freeze({
  slug: 'bluesky',
  title: 'Bluesky',
  entry: 'Connect anybody with the handle and the app password.',
  apis: ['xrpc', 'plc', 'did', 'handle'],
  prefix: 'bsky',
});
