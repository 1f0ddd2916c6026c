import { describe, expect, it } from 'vitest';
import { readConfig } from '#kernel/config/config.ts';
import { ConfigError } from '#kernel/config/reader.ts';

const WHOLE = {
  MEDIA_S3_ENDPOINT: 'https://s3.eu-central-1.amazonaws.com',
  MEDIA_S3_BUCKET: 'my.rostra-media',
  MEDIA_S3_REGION: 'eu-central-1',
  MEDIA_S3_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  MEDIA_S3_SECRET_ACCESS_KEY: 'secret/with+signs=',
};

describe('the settings of a bucket for media', () => {
  it('are left out as a whole, or make an address the keys follow', () => {
    expect(readConfig([], {}).mediaBucket).toBeUndefined();
    expect(readConfig([], WHOLE).mediaBucket).toEqual({
      url: 'https://s3.eu-central-1.amazonaws.com/my.rostra-media',
      region: 'eu-central-1',
      accessKeyId: 'AKIDEXAMPLE',
      secretAccessKey: 'secret/with+signs=',
    });
  });

  it.each([
    ['http://minio:9000/', 'on', 'http://minio:9000/my.rostra-media'],
    ['https://x.supabase.co/storage/v1/s3/', 'on', 'https://x.supabase.co/storage/v1/s3/my.rostra-media'],
    ['https://s3.eu-central-1.amazonaws.com', 'off', 'https://my.rostra-media.s3.eu-central-1.amazonaws.com'],
    ['http://localhost:9000', 'off', 'http://my.rostra-media.localhost:9000'],
  ])('put the bucket into the path or into the host name (%s, %s)', (MEDIA_S3_ENDPOINT, MEDIA_S3_PATH_STYLE, url) => {
    expect(readConfig([], { ...WHOLE, MEDIA_S3_ENDPOINT, MEDIA_S3_PATH_STYLE }).mediaBucket?.url).toBe(url);
  });

  it.each(Object.keys(WHOLE))('stop the start without %s', (name) => {
    expect(() => readConfig([], { ...WHOLE, [name]: ' ' })).toThrow(
      new ConfigError(`${name} is required together with ${other(name)}`),
    );
  });

  it('stop the start when there is nothing but a style', () => {
    expect(() => readConfig([], { MEDIA_S3_PATH_STYLE: 'off' })).toThrow('MEDIA_S3_ENDPOINT is required together with');
  });

  it.each([
    [{ MEDIA_S3_ENDPOINT: 's3.example' }, 'MEDIA_S3_ENDPOINT must be'],
    [{ MEDIA_S3_ENDPOINT: 'ftp://s3.example' }, 'MEDIA_S3_ENDPOINT must be'],
    [{ MEDIA_S3_ENDPOINT: 'https://user@s3.example' }, 'MEDIA_S3_ENDPOINT must have no'],
    [{ MEDIA_S3_ENDPOINT: 'https://s3.example?x=1' }, 'MEDIA_S3_ENDPOINT must have no'],
    [{ MEDIA_S3_ENDPOINT: 'https://10.0.0.1', MEDIA_S3_PATH_STYLE: 'off' }, 'MEDIA_S3_PATH_STYLE must be on'],
    [{ MEDIA_S3_BUCKET: 'a/b' }, 'MEDIA_S3_BUCKET must be'],
    [{ MEDIA_S3_BUCKET: '..' }, 'MEDIA_S3_BUCKET must be'],
    [{ MEDIA_S3_BUCKET: '...' }, 'MEDIA_S3_BUCKET must be'],
    [{ MEDIA_S3_REGION: 'eu central' }, 'MEDIA_S3_REGION must be'],
    [{ MEDIA_S3_PATH_STYLE: 'yes' }, 'MEDIA_S3_PATH_STYLE must be on or off'],
    [{ MEDIA_S3_SECRET: 'x' }, 'MEDIA_S3_SECRET is not a setting'],
    [{ MEDIA_PUBLIC_URL: 'http://media.example' }, 'MEDIA_PUBLIC_URL must be an https origin'],
    [{ MEDIA_BUCKET: 'x' }, 'MEDIA_BUCKET is not a setting'],
  ])('stop the start when they are wrong: %j', (env, message) => {
    expect(() => readConfig([], { ...WHOLE, ...env })).toThrow(message);
  });
});

/** The first of the settings that is there when one is not. */
function other(name: string): string {
  return Object.keys(WHOLE).find((one) => one !== name)!;
}
