import type { TwinAbout } from '../twin.ts';

export const ABOUT: TwinAbout = Object.freeze({
  slug: 'google',
  title: 'Google Business Profile',
  entry: 'Connect an owner: the consent page lets you choose who you are, and then you choose one of their locations.',
  apis: [
    'oauth2',
    'openid',
    'googleapis',
    'accountmanagement',
    'businessinformation',
    'mybusiness',
    'notifications',
    'cdn',
  ],
  prefix: 'go',
});
