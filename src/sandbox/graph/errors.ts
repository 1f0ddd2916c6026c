import { newTrace } from './ids.ts';

type Detail = Readonly<{
  status?: number;
  type?: string;
  subcode?: number;
  is_transient?: boolean;
  title?: string;
  says?: string;
  data?: unknown;
}>;

/** A refusal in Graph's own envelope. */
export class GraphError extends Error {
  readonly code: number;
  readonly status: number;
  readonly detail: Detail;

  constructor(code: number, message: string, detail: Detail = {}) {
    super(message);
    this.code = code;
    this.status = detail.status ?? 400;
    this.detail = detail;
  }
}

/** The body of an error; what does not apply is left out, as Graph does. */
export function envelope({ code, message, detail }: GraphError): { error: object } {
  const { type = 'OAuthException', subcode, is_transient, title, says, data } = detail;
  return {
    error: {
      message,
      type,
      code,
      ...(data !== undefined && { error_data: data }),
      ...(subcode !== undefined && { error_subcode: subcode }),
      ...(is_transient !== undefined && { is_transient }),
      ...(title !== undefined && { error_user_title: title }),
      ...(says !== undefined && { error_user_msg: says }),
      fbtrace_id: newTrace(),
    },
  };
}

/** 100: a parameter is wrong; the message starts with the number. */
export const badParam = (message: string, detail: Detail = {}): GraphError =>
  new GraphError(100, `(#100) ${message}`, detail);

/** 100 with subcode 33: missing, not visible, or not to be called this way; Graph never says which. */
export const unknownObject = (id: string, verb = 'get'): GraphError =>
  new GraphError(
    100,
    `Unsupported ${verb} request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation`,
    { type: 'GraphMethodException', subcode: 33 },
  );

const DEAD = {
  458: 'Error validating access token: The user has not authorized application sandbox.',
  460: 'Error validating access token: The session has been invalidated because the user changed their password or Facebook has changed the session for security reasons.',
  463: 'Error validating access token: Session has expired',
  492: 'Error validating access token: The session is invalid because the person no longer has a role on the Page.',
} as const;

/** 190: the token is dead, with the subcode that says why. */
export const deadToken = (subcode: keyof typeof DEAD): GraphError => new GraphError(190, DEAD[subcode], { subcode });

export const brokenToken = (message = 'Invalid OAuth access token - Cannot parse access token'): GraphError =>
  new GraphError(190, message);

/** A right that writing needs: 403, code 200. */
export const mayNotWrite = (scopes: readonly string[]): GraphError =>
  new GraphError(
    200,
    `(#200) This call requires ${scopes.join(' and ')} permission with page token, as an admin with sufficient administrative permission`,
    { status: 403 },
  );

/** A right that reading needs: 400, code 10. */
export const mayNotRead = (scope: string): GraphError =>
  new GraphError(
    10,
    `(#10) This endpoint requires the '${scope}' permission or the 'Page Public Content Access' feature. Refer to the documentation for details`,
  );

/** A user token where only a Page can act. */
export const needsPageToken = (): GraphError =>
  new GraphError(190, 'User access token is not supported: A page access token is required for this call.', {
    subcode: 2069032,
  });

/** Passing trouble; whether anything happened is not said. */
export const trouble = (status = 500): GraphError =>
  new GraphError(2, 'An unexpected error has occurred. Please retry your request later.', {
    status,
    is_transient: true,
  });
