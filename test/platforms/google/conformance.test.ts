import { conforms } from '../conformance/conforms.ts';
import { googleSubject } from '../conformance/google.ts';

conforms(googleSubject);
