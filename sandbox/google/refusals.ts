import { errorInfo, refusal, type GoogleError } from '../googleapis/errors.ts';
import { PROJECT } from '../googleapis/calls.ts';

export const invalidField = (field: string, message: string, value?: string): GoogleError =>
  refusal('INVALID_ARGUMENT', 'Request contains an invalid argument.', [
    {
      '@type': 'type.googleapis.com/google.mybusiness.v4.ValidationError',
      errorDetails: [{ code: 3, field, message, ...(value !== undefined && { value }) }],
    },
  ]);

/** The error for what only verified businesses may do. */
export const notVerified = (): GoogleError =>
  refusal('FAILED_PRECONDITION', 'The location is not verified. Precondition check failed.');

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
