import type { TwinAbout } from '../twin.ts';

export const ABOUT: TwinAbout = Object.freeze({
  slug: 'youtube',
  title: 'YouTube',
  entry: 'Connect a channel through the consent page of Google.',
  apis: ['oauth2', 'openid', 'googleapis', 'hub', 'feeds', 'cdn'],
  prefix: 'yt',
});
