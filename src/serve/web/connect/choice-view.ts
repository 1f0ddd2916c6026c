import type { ApiError } from '#kernel/errors.ts';
import { drawRadio, drawRefusal } from '../kit/form-fields.ts';
import { html, type Html } from '#kernel/text/html.ts';
import type { OpenChoice } from './pending.ts';

type ChoiceView = Readonly<{
  choice: OpenChoice;
  refusal: ApiError | undefined;
  title: string;
  workspaceName: string;
  action: string;
  token: Html;
}>;

/** The page on which a person chooses one of the profiles of a login. */
export function drawChoice({ choice, refusal, title, workspaceName, action, token }: ChoiceView): Html {
  const { profiles, brandName } = choice;
  return html`<h1>Choose what to connect</h1>
    ${refusal && drawRefusal('Choose one of them.')}
    <p>
      Your ${title} login manages ${profiles.length} profiles. Choose the one to connect to
      ${brandName === undefined ? 'a new brand' : html`the brand <bdi>${brandName}</bdi>`} of
      <bdi>${workspaceName}</bdi>.
    </p>
    <form method="post" action="${action}">
      ${token}
      <fieldset>
        <legend>Profile</legend>
        ${profiles.map(({ platform_account_id: id, display_name: name, username }) =>
          drawRadio('profile', id, name || username, name === '' || username === '' ? '' : `@${username}`),
        )}
      </fieldset>
      <div class="actions">
        <button class="primary">Connect</button>
        <button name="cancel" value="yes" formnovalidate>Cancel</button>
      </div>
    </form>`;
}
