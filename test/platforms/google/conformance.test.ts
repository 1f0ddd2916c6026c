import { conforms } from '../conformance/conforms.ts';
import { googleSubject } from '../conformance/subjects/google.ts';

conforms(googleSubject);
