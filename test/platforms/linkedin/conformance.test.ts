import { conforms } from '../conformance/conforms.ts';
import { linkedinSubject } from '../conformance/subjects/linkedin.ts';

conforms(linkedinSubject);
