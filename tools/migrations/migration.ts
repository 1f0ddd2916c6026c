import { z } from 'zod';
import { named, time } from '../fields.ts';

export const provider = z.string().min(1).max(64).describe('The provider to migrate from, such as zernio.');

const Profile = named('MigrationProfile', {
  id: z.string(),
  name: z.string(),
  brands: z.int(),
  pages_per_brand: z.int(),
  servable_accounts: z.int(),
  splits: z.array(z.string()).describe('Why it needs several brands.'),
});

const Assessment = named('MigrationAssessment', {
  brands: z.int().describe('Brands that are needed here.'),
  pages_per_brand: z.int().describe('The most pages that a brand needs on one platform.'),
  servable_accounts: z.int(),
  profiles: z.array(Profile),
  recommended_plan: z
    .looseObject({ tier: z.string(), name: z.string(), brands_limit: z.int(), pages_per_brand: z.int() })
    .describe('The cheapest plan that fits; -1 is any number.'),
  stays_with_provider: z.array(
    z.looseObject({
      platform: z.string(),
      count: z.int(),
      reason: z.enum([
        'unserved platform',
        'ads',
        'telephony',
        'commerce',
        'unknown platform',
        'linked to another account',
      ]),
    }),
  ),
});

export const Migration = named('Migration', {
  started: z.boolean(),
  authorisation: z
    .looseObject({ text: z.string(), version: z.string() })
    .describe('The text to agree to before the start.'),
  authorisation_version: z.string().nullable(),
  authorised_at: time.nullable(),
  created_at: time.nullable(),
  base_url: z.string().nullable().describe("The base URL for the provider's clients."),
  key_hint: z.string().nullable().describe('The beginning and end of the key.'),
  assessed_at: time.nullable(),
  assessment: Assessment.nullable(),
  assessment_error: z
    .enum(['migration.key_invalid', 'migration.key_restricted', 'migration.source_unavailable'])
    .nullable(),
  cut_over: z.int().describe('Accounts that are connected here.'),
  forwarded_calls: z.int(),
});
