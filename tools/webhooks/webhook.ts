import { z } from 'zod';
import { id, minor, named, untrusted, time } from '../fields.ts';

export const Webhook = named('Webhook', {
  id: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  is_active: z.boolean(),
  created_at: time.meta(minor),
  updated_at: time.meta(minor),
});

const delivery = {
  id: z.string(),
  event_type: z.string(),
  status: z.enum(['pending', 'delivered', 'failed']),
  attempt_count: z.int(),
  created_at: time,
  description: z.string().nullable().meta(minor),
  response_status_code: z.int().nullable(),
  response_duration_ms: z.int().nullable(),
};

export const Delivery = named('Delivery', delivery);

export const DeliveryDetail = named('DeliveryDetail', {
  ...delivery,
  endpoint_id: z.string(),
  next_attempt_at: time.nullable().meta(minor),
  error_message: z.string().nullable().meta(minor),
  payload: z.unknown().meta(untrusted),
  attempts: z.array(
    named('DeliveryAttempt', {
      attempt_number: z.int(),
      status_code: z.int().nullable(),
      duration_ms: z.int(),
      response_body: z.string().nullable().meta(untrusted),
      error_message: z.string().nullable(),
      created_at: time,
      request_headers: z
        .record(z.string(), z.string())
        .nullable()
        .describe('The signed headers that were sent with the payload.')
        .meta(minor),
    }),
  ),
});

export const webhookId = id('webhook endpoint');
export const deliveryId = id('delivery');
export const url = z.string().max(2048).describe('https URL that receives the events.');
export const events = z.array(z.string().max(100)).max(100).describe('Names of events; see list_webhook_events.');

/** A field that only the engine checks, so that errors are reported in the order of the fields. */
export const judgedLater = (schema: z.ZodType) =>
  z.preprocess((value) => value ?? null, z.unknown()).meta(z.toJSONSchema(schema, { io: 'input' }));
