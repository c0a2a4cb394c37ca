# syntax=docker/dockerfile:1
ARG GO=1.22
#   ^^ def variable GO

# Builds the program.
FROM golang:${GO} AS build
#                    ^^^^^ def stage build
ENV CGO_ENABLED=0 GOOS="linux"
#   ^^^^^^^^^^^ def variable build.CGO_ENABLED
#                 ^^^^ def variable build.GOOS
ENV OLD style
#   ^^^ def variable build.OLD
RUN go build \
    -o /app .

FROM scratch
#    ^^^^^^^ def stage scratch
COPY --from=build /app /app
ARG PORT
#   ^^^^ def variable scratch.PORT
ENTRYPOINT ["/app"]
FROM build AS test
#             ^^^^ def stage test
ENV \
  FIRST=1 \
  SECOND=2
# ^^^^^^ def variable test.SECOND
LABEL a=b
FROM --platform=linux/amd64 alpine:3.20
#                           ^^^^^^ def stage alpine:3.20
