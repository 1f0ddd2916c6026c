import type { TwinAbout } from '../twin.ts';

export const ABOUT: TwinAbout = Object.freeze({
  slug: 'tiktok',
  title: 'TikTok',
  entry: 'Connect an account through its consent page, or a business account by its access token.',
  apis: ['api', 'business', 'upload', 'cdn'],
  prefix: 'tt',
});
