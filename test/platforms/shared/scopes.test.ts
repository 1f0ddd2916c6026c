import { describe, expect, it } from 'vitest';
import { declareScopes } from '#platforms/shared/scopes.ts';

const CONFIG = { name: 'BAKERY_CONFIG_ID', meaning: '', parse: String };
const SCOPES = declareScopes({
  setting: 'BAKERY_SCOPES',
  title: 'Bakery',
  config: CONFIG,
  losses: { bread: 'No bread.', rolls: 'No rolls.' },
});

describe('the scopes of an app', () => {
  it('are those of its setting, or all', () => {
    expect(SCOPES.wantedIn({})).toEqual(['bread', 'rolls']);
    expect(SCOPES.wantedIn({ BAKERY_SCOPES: 'bread' })).toEqual(['bread']);
  });

  it('are not asked for where a configuration says which', () => {
    const settings = { BAKERY_SCOPES: 'bread rolls', BAKERY_CONFIG_ID: '7' };
    expect(SCOPES.wantedIn(settings)).toEqual([]);
    const unavailable = [{ scope: 'rolls', effect: 'No rolls.' }];
    const reported = { scopes_granted: ['bread'], scopes_missing: [], unavailable };
    expect(SCOPES.reported(settings, ['bread'])).toEqual(reported);
  });

  it('are missing where they were asked for and not granted, and nothing is said where that is not known', () => {
    expect(SCOPES.reported({}, ['bread'])).toMatchObject({ scopes_missing: ['rolls'] });
    expect(SCOPES.reported({}, undefined)).toEqual({});
  });
});
