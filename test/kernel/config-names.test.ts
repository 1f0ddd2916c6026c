import { describe, expect, it } from 'vitest';
import { readConfig } from '#kernel/config/config.ts';
import { platforms } from '#platforms/index.ts';

it.each([
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['ROOTURL', 'ROOT_URL'],
  ['log_level', 'LOG_LEVEL'],
  ['RootUrl', 'ROOT_URL'],
  ['DATADIR', 'DATA_DIR'],
  ['DATA__DIR', 'DATA_DIR'],
  ['DATABASEURL', 'DATABASE_URL'],
  ['MASTERKEY', 'MASTER_KEY'],
  ['TRUSTPROXY', 'TRUST_PROXY'],
  ['OAUTH_CLIENTMETADATA', 'OAUTH_CLIENT_METADATA'],
  ['MEDIAS3_BUCKET', 'MEDIA_S3_BUCKET'],
  ['FACEBOOK_CLIENTID', 'FACEBOOK_CLIENT_ID'],
  ['ROSTRAAPIKEY', 'ROSTRA_API_KEY'],
  ['BLUESKYSERVICE', 'BLUESKY_SERVICE'],
])('%s stops the start and is told %s', (name, right) => {
  expect(() => readConfig(platforms.values(), { [name]: 'x' })).toThrow(
    `${name} is not a setting of Rostra; its name is ${right}`,
  );
});

it.each([
  'host',
  'Port',
  'sandbox',
  'LEVEL',
  'LOG',
  'DB_URL',
  'npm_config_loglevel',
  'ROOT',
  'URL',
  '_',
  'DATA',
  'PLAN',
])('leaves %s to other programs', (name) => {
  expect(readConfig(platforms.values(), { [name]: 'x' })).toMatchObject({ port: 8080, log: { level: 'info' } });
});

it.each(['WEBHOOK_SECRET', 'SANDBOXED', 'BLUESKY_HOST'])('takes %s for one of its settings', (name) => {
  expect(() => readConfig(platforms.values(), { [name]: 'x' })).toThrow(`${name} is not a setting of Rostra; see`);
});

describe('a platform whose prefix other programs use too', () => {
  const google = {
    slug: 'google',
    settings: [{ name: 'GOOGLE_PUBSUB_TOPIC', meaning: '', parse: String }],
    sharedPrefix: true,
  } as const;

  it.each(['GOOGLE_APPLICATION_CREDENTIALS', 'GOOGLE_CLOUD_PROJECT', 'GOOGLE_API_KEY'])('leaves %s alone', (name) => {
    expect(readConfig([google], { [name]: 'x' }).platformSettings).toEqual({});
  });

  it.each([
    ['GOOGLE_PUBSUB_TOPC', 'GOOGLE_PUBSUB_TOPIC'],
    ['GOOGLE_PUBSUBTOPIC', 'GOOGLE_PUBSUB_TOPIC'],
    ['GOOGLE_CLIENT_SECERT', 'GOOGLE_CLIENT_SECRET'],
  ])('takes %s for a misspelt %s', (name, right) => {
    expect(() => readConfig([google], { [name]: 'x' })).toThrow(
      `${name} is not a setting of Rostra; its name is ${right}`,
    );
  });
});
