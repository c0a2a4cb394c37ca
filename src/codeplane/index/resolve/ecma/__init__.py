"""JavaScript and TypeScript: what their names stand for, by their modules and by the types that are declared or follow
from what is constructed and returned. Types are not checked, and what a program does at run time is not asked."""
