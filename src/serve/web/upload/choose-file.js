/** The upload page's script: drag and drop, immediate sending, and progress; the server's page replaces this one. */
const formOf = () => /** @type {HTMLFormElement | null} */ (document.querySelector('form[data-most]'));

/** Highlights the page while a file is dragged over it. */
function mark(isOver) {
  formOf()?.classList.toggle('over', isOver);
}

function refuse(form, message) {
  document.querySelector('#refusal')?.remove();
  const refusal = document.createElement('p');
  refusal.id = 'refusal';
  refusal.className = 'refusal';
  refusal.setAttribute('role', 'alert');
  refusal.textContent = message;
  form.before(refusal);
}

function showProgress(form, sent, total) {
  const percent = Math.floor((sent / total) * 100);
  form.querySelector('progress').value = percent;
  form.querySelector('output').value = `${percent} % of ${form.elements.file.files[0].name}`;
}

/** Shows the page that the server returned. */
function showAnswer(form, { responseText, status }) {
  const page = new DOMParser().parseFromString(responseText, 'text/html');
  const main = page.querySelector('main');
  if (status === 0 || main === null) {
    leaveOpen(form, form.dataset.cut);
    return;
  }
  document.title = page.title;
  document.querySelector('main').replaceWith(main);
  const heading = main.querySelector('h1');
  heading.tabIndex = -1;
  (main.querySelector('[autofocus]') ?? heading).focus();
}

function leaveOpen(form, message) {
  form.removeAttribute('aria-busy');
  form.querySelector('.progress').hidden = true;
  form.querySelector('button').disabled = false;
  refuse(form, message);
}

function send(form) {
  const [file] = form.elements.file.files;
  if (file === undefined || form.hasAttribute('aria-busy')) return;
  if (file.size > Number(form.dataset.most)) {
    refuse(form, form.dataset.larger);
    return;
  }
  document.querySelector('#refusal')?.remove();
  const body = new FormData(form);
  form.setAttribute('aria-busy', 'true');
  form.querySelector('.progress').hidden = false;
  form.querySelector('button').disabled = true;
  showProgress(form, 0, file.size);
  const request = new XMLHttpRequest();
  request.upload.onprogress = ({ loaded, total }) => showProgress(form, loaded, total);
  request.onloadend = () => showAnswer(form, request);
  request.open('POST', form.action);
  request.send(body);
}

document.addEventListener('submit', (event) => {
  if (event.target !== formOf()) return;
  event.preventDefault();
  send(event.target);
});
document.addEventListener('change', ({ target }) => {
  if (target.form !== null && target.form === formOf()) send(target.form);
});
document.addEventListener('dragover', (event) => {
  event.preventDefault();
  mark(true);
});
document.addEventListener('dragleave', ({ relatedTarget }) => {
  if (relatedTarget === null) mark(false);
});
document.addEventListener('drop', (event) => {
  event.preventDefault();
  mark(false);
  const form = formOf();
  if (form === null || event.dataTransfer.files.length === 0) return;
  form.elements.file.files = event.dataTransfer.files;
  send(form);
});
