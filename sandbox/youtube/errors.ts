import { GoogleError } from '../googleapis/errors.ts';

const STATUS: Readonly<Record<number, string>> = {
  400: 'youtube.parameter',
  403: 'youtube.common',
  404: 'youtube.common',
};

/** Makes an error from a status and a reason; by default its domain follows from the status. */
export const refuse = (status: number, reason: string, message: string, domain = STATUS[status]): GoogleError =>
  new GoogleError(status, undefined, message, { errors: [{ reason, ...(domain !== undefined && { domain }) }] });

export const missing = (name: string): GoogleError =>
  new GoogleError(400, undefined, `No filter selected. Expected: ${name}`, {
    errors: [
      { domain: 'youtube.parameter', reason: 'missingRequiredParameter', location: name, locationType: 'parameter' },
    ],
  });
export const badParameter = (name: string, message = `Invalid value for ${name}`): GoogleError =>
  new GoogleError(400, undefined, message, {
    errors: [{ domain: 'youtube.parameter', reason: 'invalidParameter', location: name, locationType: 'parameter' }],
  });
export const notFound = (what: string): GoogleError =>
  refuse(404, `${what}NotFound`, `The ${what} that the request names cannot be found.`, `youtube.${what}`);
export const forbidden = (): GoogleError =>
  refuse(403, 'forbidden', 'The request is not properly authorized.', 'youtube.common');
/** A project's uploads are counted separately and have their own error. */
export const overUploads = (): GoogleError =>
  refuse(
    429,
    'rateLimitExceeded',
    "Quota exceeded for quota metric 'Video Uploads' and limit 'Video Uploads per day' of service 'youtube.googleapis.com' for consumer 'project_number:1'.",
    'global',
  );
export const overQuota = (): GoogleError =>
  refuse(
    403,
    'quotaExceeded',
    'The request cannot be completed because you have exceeded your quota.',
    'youtube.quota',
  );
