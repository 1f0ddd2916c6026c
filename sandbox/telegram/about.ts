import type { TwinAbout } from '../twin.ts';

export const ABOUT: TwinAbout = Object.freeze({
  slug: 'telegram',
  title: 'Telegram',
  entry: 'Connect a bot with its token, and the channel that it posts to.',
  apis: ['api', 'cdn'],
  prefix: 'tg',
});
