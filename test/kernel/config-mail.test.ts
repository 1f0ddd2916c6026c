import { describe, expect, it } from 'vitest';
import { readConfig } from '#kernel/config/config.ts';
import { ConfigError } from '#kernel/config/reader.ts';

const FROM = { MAIL_FROM: 'Rostra <social@example.org>' };
const read = (SMTP_URL: string, more: Record<string, string> = FROM) => readConfig([], { SMTP_URL, ...more }).mail;

describe('the settings of mail', () => {
  it('are left out, or name a server and a sender', () => {
    expect(readConfig([], {}).mail).toBeUndefined();
    expect(read('smtp://anna%40example.org:p%40ss%3A@mail.example.org')).toEqual({
      host: 'mail.example.org',
      port: 587,
      tls: 'starttls',
      login: { user: 'anna@example.org', password: 'p@ss:' },
      from: { name: 'Rostra', address: 'social@example.org' },
    });
  });

  it.each([
    ['smtps://mail.example.org', 'mail.example.org', 465, 'at once'],
    ['smtps://mail.example.org:4650/', 'mail.example.org', 4650, 'at once'],
    ['smtp://mail.example.org:25', 'mail.example.org', 25, 'starttls'],
    ['smtp://mailpit:1025?tls=off', 'mailpit', 1025, 'off'],
    ['smtp://127.0.0.1:25', '127.0.0.1', 25, 'off'],
    ['smtp://localhost', 'localhost', 587, 'off'],
    ['smtp://[::1]:25', '::1', 25, 'off'],
    ['smtps://127.0.0.1', '127.0.0.1', 465, 'at once'],
  ])('say how to connect: %s', (url, host, port, tls) => {
    expect(read(url)).toMatchObject({ host, port, tls, login: undefined });
  });

  it.each([
    ['social@example.org', 'Rostra', 'social@example.org'],
    ['<Social@Example.org>', 'Rostra', 'social@example.org'],
    ['"Bakery, Anna" <a@example.org>', 'Bakery, Anna', 'a@example.org'],
    ['Bäckerei <a@example.org>', 'Bäckerei', 'a@example.org'],
  ])('say who sends: %s', (MAIL_FROM, name, address) => {
    expect(read('smtp://localhost', { MAIL_FROM })?.from).toEqual({ name, address });
  });

  it.each([
    ['http://mail.example.org', 'must look like'],
    ['mail.example.org:587', 'must look like'],
    ['smtp://', 'must look like'],
    ['smtp://mail.example.org/path', 'must look like'],
    ['smtp://a:%zz@mail.example.org', 'must look like'],
    ['smtp://a@mail.example.org', 'must have both a user and a password'],
    ['smtp://mail.example.org?secure=true', 'can end only with ?tls=off'],
    ['smtps://mail.example.org?tls=off', 'leave one out'],
    ['smtp://a:b@mail.example.org?tls=off', 'would be sent unencrypted'],
  ])('stop the start: %s', (url, why) => {
    expect(() => read(url)).toThrow(ConfigError);
    expect(() => read(url)).toThrow(why);
  });

  it.each(['Rostra', 'Rostra <a>', 'a@b <c', ''])(
    'stop the start without an address in MAIL_FROM: "%s"',
    (MAIL_FROM) => {
      expect(() => read('smtp://localhost', { MAIL_FROM })).toThrow('MAIL_FROM');
    },
  );

  it('stop the start when one is missing or misspelt', () => {
    expect(() => readConfig([], FROM)).toThrow('SMTP_URL is required together with MAIL_FROM');
    expect(() => readConfig([], { ...FROM, SMTP_HOST: 'mail.example.org' })).toThrow('SMTP_HOST');
  });
});
