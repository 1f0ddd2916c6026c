/** The words in which the Business Profile APIs refuse, beside those of all. */
import { errorInfo, refusal } from '../googleapis/errors.ts';
import type { GoogleError } from '../googleapis/errors.ts';
import { PROJECT } from '../googleapis/calls.ts';

/** A field of the v4 API that does not hold. */
export const invalidField = (field: string, message: string, value?: string): GoogleError =>
  refusal('INVALID_ARGUMENT', 'Request contains an invalid argument.', [
    {
      '@type': 'type.googleapis.com/google.mybusiness.v4.ValidationError',
      errorDetails: [{ code: 3, field, message, ...(value !== undefined && { value }) }],
    },
  ]);

/** Something that Google allows to verified businesses alone. */
export const notVerified = (): GoogleError =>
  refusal('FAILED_PRECONDITION', 'The location is not verified. Precondition check failed.');

/** Too many edits of one location in a minute. */
export const tooManyEdits = (limit: number): GoogleError =>
  refusal(
    'RESOURCE_EXHAUSTED',
    `Quota exceeded for quota metric 'Edits' and limit 'Edits per minute per location' of service 'mybusiness.googleapis.com' for consumer 'project_number:${PROJECT}'.`,
    [
      errorInfo('RATE_LIMIT_EXCEEDED', {
        service: 'mybusiness.googleapis.com',
        consumer: `projects/${PROJECT}`,
        quota_limit: 'EditsPerMinutePerLocation',
        quota_limit_value: String(limit),
      }),
    ],
  );
