import { expect, it } from 'vitest';
import { readConfig } from '#kernel/config/config.ts';

it.each([
  ['PUBLISH_MAX_LATENESS', '0h', 'must be longer than 0'],
  ['PUBLISH_MAX_LATENESS', '6', 'must look like 90m'],
  ['METRICS_TOKEN', 'señal', 'must be ASCII letters, digits and punctuation'],
  ['METRICS_TOKEN', 'two words', 'must be ASCII letters, digits and punctuation'],
  ['ALLOWED_HOSTS', '*', 'must be host names'],
  ['ALLOWED_HOSTS', 'a.example.org, *.example.org', 'must be host names'],
  ['ALLOWED_HOSTS', 'https://a.example.org', 'must be host names'],
])('%s=%s would do what nobody wants, so it stops the start', (name, value, why) => {
  expect(() => readConfig([], { [name]: value })).toThrow(`${name} ${why}`);
});

it('takes host names with ports and addresses', () => {
  const names = ['app.example.org', 'my_app:8080', '10.0.0.5:8080', '[::1]', '[fd00::5]:80'];
  expect(readConfig([], { ALLOWED_HOSTS: names.join(', ') }).allowedHosts).toEqual(names);
});
