import type { TwinAbout } from '../twin.ts';

export const ABOUT: TwinAbout = Object.freeze({
  slug: 'linkedin',
  title: 'LinkedIn',
  entry: 'Connect a member through the consent page; organisations they administer are their pages.',
  apis: ['api', 'upload', 'cdn', 'www/oauth/v2/accessToken'],
  prefix: 'li',
});
